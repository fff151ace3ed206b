"""The line-numbered element tree: what it keeps, and every document that it refuses."""

from __future__ import annotations

import pytest

from torquec.errors import RobotFileError
from torquec.robot.xml import parse_xml


def test_elements_keep_lines_order_and_text():
    root = parse_xml(b"<robot>\n <link name='a'/>\n\n <joint name='j'><type>simple</type></joint>\n</robot>", "r.urdf")
    assert [child.where for child in root.children] == ["r.urdf:2", "r.urdf:4"]
    assert root.need("joint").need("type").text == "simple"
    assert [element.tag for element in root.walk()] == ["robot", "link", "joint", "type"]
    assert str(root.need("link")) == '<link name="a">'


def test_undeclared_prefixes_are_passed_over_inside_gazebo_alone():
    root = parse_xml(b"<robot>\n<gazebo><a:b/>\n<c:d><a:e/></c:d></gazebo><link name='l'/></robot>", "r.urdf")
    assert [child.tag for child in root.children] == ["gazebo", "link"]
    assert root.children[1].where == "r.urdf:3"
    with pytest.raises(RobotFileError, match="unbound prefix"):
        parse_xml(b"<robot><gazebo><a:b/></gazebo>\n<a:link/></robot>", "r.urdf")
    many = b"".join(b"<p%d:a/>" % k for k in range(500))
    with pytest.raises(RobotFileError, match="unbound prefix"):
        parse_xml(b"<robot><gazebo>" + many + b"</gazebo></robot>", "r.urdf")


def test_text_around_children_belongs_to_the_parent():
    root = parse_xml(b"<a>one<b>two<c>three</c>four</b>five<d/>six</a>", "r.urdf")
    assert [(element.tag, element.text) for element in root.walk()] == [
        ("a", "onefivesix"), ("b", "twofour"), ("c", "three"), ("d", ""),
    ]  # fmt: skip
    assert [child.tag for child in root.children] == ["b", "d"]


def test_a_foreign_namespace_stays_visible_and_the_own_one_does_not():
    root = parse_xml(b"<robot xmlns='own' xmlns:x='http://x'><link/><x:link/></robot>", "r.urdf")
    assert root.tag == "robot"
    assert [child.tag for child in root.children] == ["link", "{http://x}link"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_declared_encodings_are_read(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><robot name="Stäubli"/>'
    assert parse_xml(text.encode(encoding), "r.urdf").attributes["name"] == "Stäubli"


def test_the_predefined_entities_are_read():
    assert parse_xml(b"<robot name='&lt;&amp;&#65;'/>", "r.urdf").attributes["name"] == "<&A"


BOMB = b'<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>\n<r>&b;</r>'
EXTERNAL = b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]><r>&a;</r>'


@pytest.mark.parametrize(
    ("data", "fragments"),
    [
        (b"", ("r.urdf", "empty", "remedy")),
        (b" \n ", ("r.urdf", "empty")),
        (b"solid cube\nfacet", ("r.urdf:1", "not valid XML")),
        (b"\x00\x01\x02", ("r.urdf:1", "not valid XML")),
        (b"<robot>\n<link>\n", ("r.urdf:3", "no element found", "complete")),
        (b"<robot>\n<link", ("r.urdf:2", "complete")),
        (b"<robot>\n<link></robot>", ("r.urdf:2", "mismatched tag")),
        (b"<robot/>\n<robot/>", ("r.urdf:2", "junk after document element")),
        (b"<robot>\n<xacro:macro/></robot>", ("r.urdf:2", "unbound prefix", "xmlns")),
        (b"<robot a='1' a='2'/>", ("r.urdf:1", "duplicate attribute")),
        (b"<robot>&nbsp;</robot>", ("r.urdf:1", "undefined entity")),
        (BOMB, ("r.urdf:2", "document type", "DOCTYPE")),
        (EXTERNAL, ("r.urdf:1", "document type", "no other file")),
        (b'<!DOCTYPE robot SYSTEM "http://example.org/x.dtd"><robot/>', ("r.urdf:1", "document type")),
        (b'<?xml version="1.0" encoding="utf-8"?>\n<robot name="\xff"/>', ("r.urdf:2", "UTF-8")),
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', ("r.urdf:1", "encoding", "UTF-8")),
        (b'<?xml version="1.0" encoding="shift_jis"?><robot/>', ("r.urdf:1", "encoding", "UTF-8")),
        (b"<a>" * 5000, ("r.urdf:1", "nested more than")),
    ],
)
def test_what_is_not_one_plain_document_is_refused(data, fragments):
    with pytest.raises(RobotFileError) as caught:
        parse_xml(data, "r.urdf")
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_a_missing_or_repeated_part_is_named():
    root = parse_xml(b"<joint name='j'>\n<axis/>\n<axis/></joint>", "r.urdf")
    with pytest.raises(RobotFileError, match=r'r.urdf:3: <joint name="j"> has 2 <axis> elements'):
        root.find("axis")
    with pytest.raises(RobotFileError, match=r'r.urdf:1: <joint name="j"> has no <child>'):
        root.need("child")
    with pytest.raises(RobotFileError, match=r"r.urdf:1: .* has no attribute 'type'"):
        root.attribute("type")
