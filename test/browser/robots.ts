/** Robot files that are dropped onto the playground. */
export const cartUrdf = `<robot name="cart">
  <link name="world"/>
  <link name="cart">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.4 0.2 0.2"/></geometry></visual>
  </link>
  <link name="pole">
    <inertial><origin xyz="0 0 0.5"/><mass value="0.1"/><inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="world"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="5"/>
  </joint>
  <joint name="hinge" type="continuous">
    <parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/>
  </joint>
</robot>
`;

/** A link whose contacts come from a mesh: the eight corners of its box. */
export const meshRobot = {
  urdf: `<robot name="leg">
  <link name="foot">
    <inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="package://leg/meshes/foot.stl"/></geometry></collision>
  </link>
</robot>
`,
  stl: `solid foot
facet normal 0 0 1
outer loop
vertex -0.1 -0.1 -0.1
vertex 0.1 -0.1 0.1
vertex 0.1 0.1 0.1
endloop
endfacet
endsolid foot
`,
};
